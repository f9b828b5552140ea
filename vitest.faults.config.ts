import { defineConfig } from 'vitest/config'
import { COMMON } from './vitest.config.ts'

/** What has full figures or further cases (test/faults/rounds.ts), and what is too long for every run (`*.long.test.ts`). */
export default defineConfig({
  test: {
    ...COMMON,
    include: [
      'test/faults/**/*.test.ts',
      'test/contract/upstream/faults.test.ts',
      'test/e2e/http-crowd.test.ts',
      'test/contract/store/list-plans.test.ts',
      'test/rights/absent.test.ts',
      'test/rights/matrix.test.ts',
      'test/rights/shortcuts.test.ts',
      'test/browser/shop-clock.test.ts',
    ],
    exclude: [],
    // Some measure how long something takes: nothing may run beside them.
    maxWorkers: 1,
    env: { TEST_FAULTS: 'full' },
    testTimeout: 30 * 60_000,
  },
})
