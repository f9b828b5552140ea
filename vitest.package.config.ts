import { defineConfig } from 'vitest/config'
import { COMMON } from './vitest.config.ts'

/** What builds: the package, which is installed from the npm registry into an empty folder, its command, and the pages in watch mode. */
export default defineConfig({
  test: {
    ...COMMON,
    include: ['test/package/**/*.test.ts'],
    // One of them replaces the built files that the others read.
    maxWorkers: 1,
    // The build takes about a minute on one core.
    hookTimeout: 600_000,
  },
})
