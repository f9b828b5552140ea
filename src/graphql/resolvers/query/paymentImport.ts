import type { QueryResolvers } from '../../generated.ts'

export const paymentImport: QueryResolvers['paymentImport'] = async (_root, { id }, { store }) =>
  /^[1-9]\d{0,14}$/.test(id) ? store.imports.byNumber(Number(id)) : null
