import type { QueryResolvers } from '../../generated.ts'

export const reconciliationReport: QueryResolvers['reconciliationReport'] = async (_root, { day }, { store }) => {
  const from = day == null ? {} : { from: Date.parse(day) }
  const [report] = await store.imports.page({ limit: 1, before: null }, { daily: true, ...from })
  return report ?? null
}
