import type { ReadBacklogResolvers } from '../generated.ts'

export const ReadBacklog: ReadBacklogResolvers = {
  oldestUnconfirmedSince: ({ unconfirmedSince }) => unconfirmedSince,
}
