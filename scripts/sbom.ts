/**
 * Writes the software bill of materials of what ships, in CycloneDX JSON: every production dependency in the lock file, and
 * every package with code in the pages, with version, licence and hash. The argument is the output file; default:
 * dist/sbom.cdx.json. The pages must be built.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { NOTICES, packagesIn } from './notices.ts'

type Component = Readonly<Record<string, unknown>> & { readonly 'bom-ref': string }
type Dependency = { readonly ref: string; readonly dependsOn: readonly string[] }
type Bill = {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly Dependency[]
}
type Lock = {
  readonly name: string
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly dev?: boolean; readonly link?: boolean }>
  >
}

/** Reads the lock file only: the packages installed on this platform are not what ships. */
const ARGUMENTS = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']
const FOLDER = 'node_modules/'

const target = process.argv[2] ?? 'dist/sbom.cdx.json'
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock
const bill = shipped(everything())
mkdirSync(dirname(target), { recursive: true })
writeFileSync(target, `${JSON.stringify(bill, null, 2)}\n`)
console.log(`${target} names ${bill.components.length} components.`)

function everything(): Bill {
  const { status, error, stdout, stderr } = spawnSync('npm', ARGUMENTS, { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 })
  if (error !== undefined) throw error
  if (status !== 0) {
    process.stderr.write(stderr)
    process.exit(status ?? 1)
  }
  return JSON.parse(stdout) as Bill
}

/**
 * Returns the part of the bill that ships. `npm --omit=dev` also omits packages that ship and are needed by a development tool as well, so
 * the lock file decides. The packages of this repository are part of the root component.
 */
function shipped({ metadata, components, dependencies, ...rest }: Bill): Bill {
  const bundled = packagesIn(NOTICES.map((path) => readFileSync(path, 'utf8')).join('\n')).map(
    ({ name, version }) => `${name}@${version}`,
  )
  const names = new Set(
    Object.entries(lock.packages)
      .filter(([path, { dev, link }]) => (path === '' || path.includes(FOLDER)) && dev !== true && link !== true)
      .map(([path, { version }]) => `${path === '' ? lock.name : nameOf(path)}@${version}`)
      .concat(bundled),
  )
  const ships = (ref: string) => names.has(ref)
  return {
    ...rest,
    // npm names the root component after its folder.
    metadata: { ...metadata, component: { ...metadata.component, name: lock.name } },
    components: components.filter((component) => ships(component['bom-ref'])),
    dependencies: dependencies
      .filter(({ ref }) => ships(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(ships) })),
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(FOLDER) + FOLDER.length)
}
