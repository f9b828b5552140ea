import { defineConfig } from 'vitest/config'
import { COMMON } from './vitest.config.ts'

/** What lies in test/attacks, with its full figures, and what is too long for every run (`*.long.test.ts`). */
export default defineConfig({
  test: {
    ...COMMON,
    include: ['test/attacks/**/*.test.ts'],
    exclude: [],
    // Some measure how long something takes: nothing may run beside them.
    maxWorkers: 1,
    env: { TEST_FAULTS: 'full' },
    testTimeout: 60 * 60_000,
  },
})
