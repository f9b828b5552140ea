import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mayShip } from './support/licences.ts'

type LockedPackage = {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly license?: string
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Packages with install scripts that were reviewed: a version check, a banner, and the runtime of the tests. */
const RUN_SCRIPTS = ['@apollo/protobufjs', 'core-js', 'node']

/** Least versions without known vulnerabilities: memory exhaustion by fragments, and requests that read the schema. */
const AT_LEAST: Readonly<Record<string, readonly [major: number, minor: number]>> = {
  ws: [8, 21],
  '@apollo/server': [5, 5],
}

type Manifest = LockedPackage & {
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly overrides?: Readonly<Record<string, string>>
}

/** The folder of each lock file, and the packages of it with install scripts. */
const LOCKS = [
  { folder: '', runScripts: RUN_SCRIPTS },
  // Peers of the benchmarks are installed without scripts; all their licences are checked.
  { folder: 'bench/', runScripts: ['@apollo/protobufjs'] },
]

/** Whether an entry is a package of this repository, or the link to one. */
function isOurs(path: string, { link, resolved }: LockedPackage): boolean {
  return OWN_PACKAGE.test((link === true ? resolved : path) ?? '')
}

const OWN_PACKAGE = /^(?:packages|examples)\/[a-z-]+$/

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

// promise(checks): The lock file has a hash for every package, which comes from a registry; licences and install
// scripts are reviewed.
describe.each(LOCKS)('the lock file in "$folder"', ({ folder, runScripts }) => {
  const lockText = readFileSync(`${folder}package-lock.json`, 'utf8')
  const lock = JSON.parse(lockText) as { packages: Record<string, LockedPackage> }
  const dependencies = Object.entries(lock.packages).filter(([path, locked]) => path !== '' && !isOurs(path, locked))

  test('names no registry, so that it installs from whichever one is set', () => {
    expect(dependencies.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toStrictEqual([])
    expect(lockText).not.toMatch(/registry\.|\/-\/[^"]*\.tgz/)
  })

  test('nor does the configuration of npm', () => {
    const path = `${folder}.npmrc`
    expect(existsSync(path) ? readFileSync(path, 'utf8') : '').not.toMatch(/registry|:\/\//)
  })

  test('knows the hash of every package, so that another one in its place does not install', () => {
    const hashless = dependencies.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
    expect(hashless.map(([path]) => path)).toStrictEqual([])
  })

  test('takes packages from a registry alone: no repository, address, folder or link', () => {
    const manifest = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as Manifest
    const asked = [['', manifest] as const, ...dependencies].flatMap(([path, locked]) =>
      Object.entries({ ...locked.dependencies, ...locked.optionalDependencies }).map(([name, range]) => ({
        path,
        name,
        range,
      })),
    )
    const direct = Object.entries({ ...manifest.devDependencies, ...manifest.overrides })
    const ranges = [...asked, ...direct.map(([name, range]) => ({ path: '', name, range }))]
    expect(ranges.length).toBeGreaterThan(dependencies.length)
    expect(ranges.filter(({ range }) => !/^(?:npm:[^/:]+|[^/:]*)$/.test(range))).toStrictEqual([])
    expect(dependencies.filter(([, { link }]) => link === true)).toStrictEqual([])
  })

  test.each(Object.entries(AT_LEAST))('has %s of version %j or later, everywhere', (name, [major, minor]) => {
    const versions = dependencies.filter(([path]) => nameOf(path) === name).map(([, { version = '' }]) => version)
    expect(versions.length).toBeGreaterThan(0)
    const older = versions.filter((version) => {
      const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number)
      return ownMajor < major || (ownMajor === major && ownMinor < minor)
    })
    expect(older).toStrictEqual([])
  })

  test('is complete for every platform: without that, a clean installation stops', () => {
    const wanted = dependencies.flatMap(([path, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {}).map((name) => ({ path, name })),
    )
    expect(wanted.filter(({ path, name }) => !isLocked(lock.packages, path, name))).toStrictEqual([])
  })

  test('has one graphql, of version 16', () => {
    const versions = dependencies.filter(([path]) => nameOf(path) === 'graphql').map(([, { version }]) => version)
    expect(versions).toStrictEqual([expect.stringMatching(/^16\./)])
  })

  test('lets exactly the known packages run scripts when they are installed', () => {
    const running = dependencies.filter(([, { hasInstallScript }]) => hasInstallScript === true)
    expect(running.map(([path]) => nameOf(path)).toSorted()).toStrictEqual(runScripts)
  })

  test('has, of everything but the tools of development, licences that allow it', () => {
    const shipped = dependencies.filter(([, { dev }]) => dev !== true)
    expect(shipped.length).toBeGreaterThan(50)
    const refused = shipped
      .map(([path, locked]) => ({ name: nameOf(path), licence: licenceOf(`${folder}${path}`, locked) }))
      .filter(({ licence }) => !mayShip(licence))
    expect(refused).toStrictEqual([])
  })
})

test('the peers of the benches have the versions that the product has', () => {
  const [own, peers] = ['', 'bench/'].map((folder) => {
    const { packages } = JSON.parse(readFileSync(`${folder}package-lock.json`, 'utf8')) as {
      packages: Record<string, LockedPackage>
    }
    return new Map(Object.entries(packages).map(([path, { version }]) => [path, version]))
  })
  for (const name of ['fastify', 'ws', 'graphql', 'graphql-ws', '@apollo/subgraph'])
    expect([name, peers?.get(`node_modules/${name}`)]).toStrictEqual([name, own?.get(`node_modules/${name}`)])
})

describe('licences', () => {
  test.each([
    ['MIT', true],
    ['(MIT AND BSD-3-Clause)', true],
    ['(GPL-3.0-only OR Apache-2.0)', true],
    ['MIT AND Elastic-2.0', false],
    ['Elastic-2.0', false],
    ['UNLICENSED', false],
    ['', false],
  ])('the expression "%s": %s', (expression, allowed) => {
    expect(mayShip(expression)).toBe(allowed)
  })
})

/** Returns whether the lock file has a package where a package at `path` would resolve it: in its own folder or in one above. */
function isLocked(packages: Readonly<Record<string, LockedPackage>>, path: string, name: string): boolean {
  const folders = path
    .split('/node_modules/')
    .map((_part, depth, parts) => parts.slice(0, depth + 1).join('/node_modules/'))
  return [...folders.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`].some(
    (candidate) => packages[candidate] !== undefined,
  )
}

/**
 * Returns the licence in the manifest of an installed package; for a package of another platform, which is not installed, the one in the
 * lock file.
 */
function licenceOf(path: string, locked: LockedPackage): string {
  const manifest = `${path}/package.json`
  if (!existsSync(manifest)) return locked.license ?? ''
  const { license } = JSON.parse(readFileSync(manifest, 'utf8')) as { license?: unknown }
  return typeof license === 'string' ? license : ''
}
