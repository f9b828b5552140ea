import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, mostly because they wait. If one of them came last, it would run alone; if all of them came first, the
 * processors would be idle meanwhile.
 */
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

/** The share of all files among which they are spread. */
const SPREAD = 0.6

/** Orders the files by the seed, and spreads the longest ones among the first of the others. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config
    const pathOf = (file: TestSpecification) => relative(root, file.moduleId)
    const hashOf = (file: TestSpecification) =>
      createHash('sha1')
        .update(`${sequence.seed} ${pathOf(file)}`)
        .digest('hex')
    const ordered = files
      .map((file) => ({ file, hash: hashOf(file) }))
      .toSorted((one, other) => (one.hash < other.hash ? -1 : 1))
      .map(({ file }) => file)
    const isLong = (file: TestSpecification) => LONGEST.has(pathOf(file))
    const long = ordered.filter(isLong)
    const others = ordered.filter((file) => !isLong(file))
    const step = Math.floor((others.length * SPREAD) / Math.max(1, long.length)) + 1
    return long.reduce((all, file, index) => all.toSpliced(index * step, 0, file), others)
  }
}
