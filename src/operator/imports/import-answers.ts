import { z } from 'zod'

const report = z.object({
  site: z.string(),
  list: z.string(),
  listed: z.number(),
  equal: z.number(),
  differed: z.number(),
  added: z.number(),
  passedOver: z.number(),
  absent: z.number(),
  differedIds: z.array(z.string()),
  addedIds: z.array(z.string()),
  absentIds: z.array(z.string()),
  problem: z.string().nullable(),
})

const sum = z.object({ count: z.number(), amount: z.string(), paid: z.string(), refunded: z.string() })

const comparison = z.object({
  id: z.string(),
  from: z.string(),
  to: z.string(),
  dryRun: z.boolean(),
  state: z.enum(['RUNNING', 'DONE']),
  progress: z.number(),
  lists: z.array(report),
  totals: z.array(
    z.object({
      site: z.string().nullable(),
      kind: z.string(),
      currency: z.string(),
      theirs: sum,
      ours: sum,
      difference: sum,
    }),
  ),
})

/** An import as the graph answers it. */
export type Import = z.output<typeof comparison>

export const begunAnswer = z.object({
  importPayments: z.union([
    z.object({ import: z.object({ id: z.string() }) }),
    z.object({
      code: z.string(),
      message: z.string(),
      problems: z.array(z.object({ path: z.array(z.string()), message: z.string() })).optional(),
    }),
  ]),
})

export const importAnswer = z.object({ paymentImport: comparison.nullable() })

export const dailyAnswer = z.object({ reconciliationReport: comparison.nullable() })
