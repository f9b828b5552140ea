import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NOTICES, packagesIn } from '../../scripts/notices.ts'

type Component = {
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly hashes: readonly { readonly alg: string; readonly content: string }[]
  readonly licenses: readonly unknown[]
}
type Bill = {
  readonly bomFormat: string
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
}
type Locked = { readonly version: string; readonly dev?: boolean; readonly link?: boolean }
type Lock = { readonly packages: Readonly<Record<string, Locked>> }

const FOLDER_OF_PACKAGES = 'node_modules/'

let folder: string
let text: string
let bill: Bill
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sbom-'))
  const file = join(folder, 'deeper', 'bill.json')
  execFileSync(process.execPath, ['scripts/sbom.ts', file], { stdio: 'pipe' })
  text = readFileSync(file, 'utf8')
  bill = JSON.parse(text) as Bill
})
afterAll(() => rmSync(folder, { recursive: true }))

const shipped = () =>
  Object.entries((JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock).packages)
    .filter(([path, { dev, link }]) => path.includes(FOLDER_OF_PACKAGES) && dev !== true && link !== true)
    .map(
      ([path, { version }]) =>
        `${path.slice(path.lastIndexOf(FOLDER_OF_PACKAGES) + FOLDER_OF_PACKAGES.length)}@${version}`,
    )
    .concat(bundled())

const bundled = () =>
  packagesIn(NOTICES.map((path) => readFileSync(path, 'utf8')).join('\n')).map(
    ({ name, version }) => `${name}@${version}`,
  )

// promise(checks): The bill of materials (`npm run sbom`) lists everything that ships.
it('is a bill of this package, by its own name', () => {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string; version: string }
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name, version, type: 'application' } },
  })
})

it('names everything that ships and nothing else, with version, licence and hash', () => {
  const named = bill.components.map(({ name, version }) => `${name}@${version}`)
  expect([...new Set(named)].toSorted()).toEqual([...new Set(shipped())].toSorted())
  expect(named).toEqual(expect.arrayContaining(bundled()))
  expect(bill.components.length).toBeGreaterThan(100)
  for (const { purl, hashes, licenses } of bill.components) {
    expect(purl).toMatch(/^pkg:npm\//)
    expect(hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }])
    expect(licenses).toHaveLength(1)
  }
})

it('names no registry, and no folder of the machine that made it', () => {
  const addresses = [...new Set(text.match(/\b[a-z+]+:\/\/[^/"\s]+/g))]
  expect(addresses).toEqual(['http://cyclonedx.org'])
  expect(text).not.toContain(process.cwd())
})
