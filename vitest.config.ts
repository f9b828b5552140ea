import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { LAYERS } from './scripts/test-layers.ts'

const { TEST_SEED, TEST_FAULTS } = process.env

/** True for the full figures of `npm run test:all`, which include the files that are too long for every run. */
const FULL = TEST_FAULTS === 'full'

const DATABASES = ['test/support/migrated-database.ts', 'test/support/database-server.ts']
const BUILT = 'test/support/build-program.ts'

type Options = NonNullable<TestProjectInlineConfiguration['test']>

/** Projects run after each other: files of one share processes, and processes are not shared between projects. */
let order = 0

function project(name: string, options: Options): TestProjectInlineConfiguration {
  return { extends: true, test: { name, sequence: { groupOrder: order++ }, ...options } }
}

export default defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    // They end what hangs, and are far above what a test takes on a busy machine.
    testTimeout: FULL ? 60 * 60_000 : 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    globals: false,
    // Node runs the modules itself, as in production: one graphql, and no transformation between the test and the code.
    experimental: { viteModuleRunner: false },
    // No module of ours holds state: files may follow one another in a process in which everything is loaded. Each process has one browser.
    isolate: false,
    reporters: ['default'],
    setupFiles: ['test/support/seed-setup.ts'],
    // The reporter prints the seed of the order; TEST_SEED=<seed> repeats it, and everything else that is random.
    sequence: {
      shuffle: { files: true, tests: true },
      ...(TEST_SEED !== undefined && { seed: Number(TEST_SEED) }),
    },
    projects: [
      project('unit', {
        include: [...LAYERS.unit],
        maxWorkers: 2,
        setupFiles: ['test/support/seed-setup.ts', 'test/support/unit-setup.ts'],
      }),
      project('packages', { include: [...LAYERS.packages], maxWorkers: 2 }),
      project('store', { include: [...LAYERS.store], maxWorkers: 3, globalSetup: DATABASES }),
      project('e2e', { include: [...LAYERS.e2e], maxWorkers: 4, globalSetup: [...DATABASES, BUILT] }),
      project('browser', { include: [...LAYERS.browser], maxWorkers: 2, globalSetup: [...DATABASES, BUILT] }),
      project('all', {
        include: ['test/**/*.test.ts'],
        exclude: [
          ...Object.values(LAYERS).flat(),
          ...(FULL ? [] : ['**/*.long.test.ts']),
          'test/gateway/**',
          'test/package/**',
        ],
        // With the full figures some measure how long something takes: nothing may run beside them. Otherwise half of the time a file
        // waits, for a process that starts or a time that is over: more of them than cores.
        maxWorkers: FULL ? 1 : 5,
        isolate: FULL,
        globalSetup: [...DATABASES, BUILT],
      }),
      project('gateway', {
        include: ['test/gateway/*.test.ts'],
        maxWorkers: 2,
        globalSetup: [...DATABASES, BUILT, 'test/support/install-gateways.ts'],
      }),
      // One of them replaces the built files that the others read. The build takes a minute of one core.
      project('package', { include: ['test/package/**/*.test.ts'], maxWorkers: 1, hookTimeout: 600_000 }),
    ],
  },
})
