import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, mostly because they wait: if one of them came last, it would run alone. */
const LONGEST = new Set([
  'test/browser/console-outage.test.ts',
  'test/browser/console-session.test.ts',
  'test/browser/console-views.test.ts',
  'test/browser/shop-purchase.test.ts',
  'test/browser/shop-trouble.test.ts',
  'test/contract/store/list-plans.test.ts',
  'test/contract/store/postgres.test.ts',
  'test/e2e/imports.test.ts',
  'test/e2e/operator-imports.test.ts',
  'test/e2e/shared-breakers.test.ts',
  'test/e2e/shared-limits.test.ts',
  'test/e2e/shared-methods.test.ts',
  'test/e2e/upstream-canary.test.ts',
  'test/faults/cluster-outage.test.ts',
  'test/faults/upgrade.test.ts',
  'test/privacy/erasure.test.ts',
  'test/rights/absent.test.ts',
  'test/rights/live.test.ts',
  'test/rights/matrix.test.ts',
  'test/rights/shortcuts.test.ts',
  'test/unit/redis/redis-channels.test.ts',
  'test/unit/store/postgres-migrations.test.ts',
])

/** Orders the files by the seed, and the longest ones before all others. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config
    const places = new Map(
      files.map((file) => {
        const path = relative(root, file.moduleId)
        const hash = createHash('sha1').update(`${sequence.seed} ${path}`).digest('hex')
        return [file, `${LONGEST.has(path) ? 0 : 1} ${hash}`] as const
      }),
    )
    const placeOf = (file: TestSpecification) => places.get(file) ?? ''
    return files.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
  }
}
