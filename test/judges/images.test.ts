import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const NOT_OURS = /^(?:package-lock\.json|test\/.*package-lock\.json|dist\/)/
/** Files that can name images: files that build or run one, and documentation. */
const RECIPES = /(?:^|\/)(?:Dockerfile[^/]*|Containerfile[^/]*)$|\.(?:ya?ml|md|sh)$|(?:^|\/)\.ci\//
/** References to images in a Dockerfile, in a compose file or a workflow, and in a command line. */
const IMAGES = [
  /^FROM\s+(?:--\S+\s+)*(\S+)/gm,
  /^\s*(?:-\s+)?image:\s*['"]?([^\s'"#]+)/gm,
  /\b(?:docker|podman)\s+(?:run|pull)\s+(?:-\S+(?:[= ]\S+)?\s+)*?([a-z0-9./_-]+:[\w.-]+\S*)/g,
  /^COPY\s+--from=([^\s/]+[/:]\S*)/gm,
]
const PINNED = /@sha256:[0-9a-f]{64}$/

function imagesIn(text: string): string[] {
  const stages = new Set([...text.matchAll(/^FROM\s+.*\s+AS\s+(\S+)/gm)].map(([, name]) => name))
  return IMAGES.flatMap((pattern) => [...text.matchAll(pattern)].map(([, image = '']) => image)).filter(
    (image) => !stages.has(image),
  )
}

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
const images = files
  .filter((file) => RECIPES.test(file) && !NOT_OURS.test(file))
  .flatMap((file) => imagesIn(readFileSync(join(root, file), 'utf8')).map((image) => ({ file, image })))
  // Our own, which the overlays name.
  .filter(({ image }) => image !== 'payments-subgraph')

// promise(outgoing): Container images are referenced by digest.
it('every image that is built on or run is pinned by its digest', () => {
  expect(new Set(images.map(({ file }) => file))).toEqual(
    new Set([
      '.devcontainer/Dockerfile',
      '.github/workflows/ci.yaml',
      'Dockerfile',
      'compose.databases.yaml',
      'compose.yaml',
    ]),
  )
  expect(images.filter(({ image }) => !PINNED.test(image))).toEqual([])
})

it('one tag has one digest', () => {
  const digests = Map.groupBy(images, ({ image }) => image.split('@')[0])
  expect([...digests.values()].filter((used) => new Set(used.map(({ image }) => image)).size > 1)).toEqual([])
})
