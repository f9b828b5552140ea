import { defineConfig } from 'vitest/config'
import { COMMON } from './vitest.config.ts'

/** What lies in test/package: it builds the package, and installs it from the npm registry into an empty folder. */
export default defineConfig({
  test: {
    ...COMMON,
    include: ['test/package/**/*.test.ts'],
    // The build takes about a minute on one core.
    hookTimeout: 600_000,
  },
})
