import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

type LockedPackage = {
  readonly version?: string
  readonly resolved?: string
  readonly license?: string
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** SPDX identifiers of licences that may be shipped with a closed or an open product alike. */
const MAY_SHIP = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
])

/** Packages whose install scripts are known: a patch of one's own files, the runtime's download, native file watching. */
const MAY_RUN_SCRIPTS = new Set(['@apollo/protobufjs', 'fsevents', 'node'])

const lockText = readFileSync('package-lock.json', 'utf8')
const lock = JSON.parse(lockText) as { packages: Record<string, LockedPackage> }
const dependencies = Object.entries(lock.packages).filter(([path]) => path !== '')
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

describe('the lock file', () => {
  test('names no registry, so that it installs from whichever one is set', () => {
    expect(dependencies.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toStrictEqual([])
    expect(lockText).not.toMatch(/registry\.|\/-\/[^"]*\.tgz/)
  })

  test('nor does the configuration of npm', () => {
    expect(existsSync('.npmrc') ? readFileSync('.npmrc', 'utf8') : '').not.toMatch(/registry|:\/\//)
  })

  test('is complete for every platform: without that, a clean installation stops', () => {
    const wanted = dependencies.flatMap(([path, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {}).map((name) => ({ path, name })),
    )
    expect(wanted.filter(({ path, name }) => !isLocked(path, name))).toStrictEqual([])
  })

  test('has one graphql, of version 16', () => {
    const versions = dependencies.filter(([path]) => nameOf(path) === 'graphql').map(([, { version }]) => version)
    expect(versions).toStrictEqual([expect.stringMatching(/^16\./)])
  })

  test('lets only known packages run scripts when they are installed', () => {
    const running = dependencies.filter(([, { hasInstallScript }]) => hasInstallScript === true)
    const unknown = running.map(([path]) => nameOf(path)).filter((name) => !MAY_RUN_SCRIPTS.has(name))
    expect(unknown).toStrictEqual([])
  })
})

describe('licences', () => {
  const shipped = dependencies.filter(([, { dev }]) => dev !== true)

  test('of everything that ships allow it', () => {
    expect(shipped.length).toBeGreaterThan(50)
    const refused = shipped
      .map(([path, locked]) => ({ name: nameOf(path), licence: licenceOf(path, locked) }))
      .filter(({ licence }) => !mayShip(licence))
    expect(refused).toStrictEqual([])
  })

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

/** Whether the lock file has a package where another one, at a path, would find it: in its own folder or in one above. */
function isLocked(path: string, name: string): boolean {
  const folders = path
    .split('/node_modules/')
    .map((_part, depth, parts) => parts.slice(0, depth + 1).join('/node_modules/'))
  return [...folders.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`].some(
    (candidate) => lock.packages[candidate] !== undefined,
  )
}

/** The package's own word where it is installed; a package for another platform is not, and the lock file speaks for it. */
function licenceOf(path: string, locked: LockedPackage): string {
  const manifest = `${path}/package.json`
  if (!existsSync(manifest)) return locked.license ?? ''
  const { license } = JSON.parse(readFileSync(manifest, 'utf8')) as { license?: unknown }
  return typeof license === 'string' ? license : ''
}

/** Reads an SPDX expression without nesting: one of the alternatives must be allowed in all its parts. */
function mayShip(expression: string): boolean {
  const alternatives = expression.replace(/[()]/g, '').split(' OR ')
  return alternatives.some((alternative) => alternative.split(' AND ').every((id) => MAY_SHIP.has(id)))
}
