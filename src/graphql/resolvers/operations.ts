import { hashesOf } from '../../commands/operator-commands.ts'
import { connection, pageSize, pageStart } from '../arguments/paging.ts'
import { subjectOf } from '../rights/rights.ts'
import { failureResult } from '../views/views.ts'
import type { AreaResolvers } from './area-resolvers.ts'

export const operationsResolvers = {
  Query: {
    paymentsHealth: (_root, _args, { health }) => health,
    signingKeys: (_root, _args, context) => context.signingKeys.report(),
    payerErasures: async (_root, args, { keys, store, cursors }) => {
      const size = pageSize(args.first)
      const start = pageStart(cursors, 'erasures', args.after)
      const filter = args.of == null ? {} : { valueHashes: hashesOf(keys, args.of) }
      const before = start === null ? null : { number: start }
      const rows = await store.erasures.page({ limit: size + 1, before }, filter)
      return connection(
        { rows, size, after: args.after },
        { cursor: (erasure) => cursors.encode('erasures', erasure.number), node: (erasure) => erasure },
      )
    },
  },
  Mutation: {
    erasePayer: async (_root, { input }, { operations, caller }) => {
      const outcome = await operations.erasePayer(input, subjectOf(caller))
      return outcome.kind === 'done'
        ? { __typename: 'ErasePayerSuccess', erasure: outcome.erasure }
        : failureResult(outcome)
    },
  },
  PaymentsHealth: {
    serverTime: (_health, _args, { clock }) => clock(),
    sites: (health) => [...health.sites()],
    reads: (health) => health.reads(),
    deliveries: (health) => health.deliveries(),
    reader: (health) => health.reader(),
    streams: (health) => health.streams(),
  },
  ReadBacklog: {
    oldestUnconfirmedSince: ({ unconfirmedSince }) => unconfirmedSince,
  },
  SigningKey: {
    removable: ({ state, dependents }) => state === 'VERIFIES' && !dependents.some(({ needed }) => needed),
  },
  PayerErasure: {
    id: ({ number }) => String(number),
    by: ({ kind }) => kind,
    state: ({ doneAt }) => (doneAt === null ? 'RUNNING' : 'DONE'),
  },
} satisfies AreaResolvers
