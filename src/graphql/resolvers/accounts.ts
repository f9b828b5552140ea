import type { Money } from '../../domain/money/money.ts'
import type { Balances, PaymentBalanceMovement as Movement } from '../../upstream/wire/wire-accounts.ts'
import { listByDays } from '../arguments/arguments.ts'
import { failedRead, badArgument, describeReadFailure } from '../error-formatter.ts'
import type { PaymentBalanceDirection } from '../generated.ts'
import { countedPage, type AreaResolvers } from '../models.ts'
import { failureResult } from '../views/views.ts'

export const accountsResolvers = {
  Query: {
    accountBalances: async (_root, { currencies }, { operations }) => {
      const { balances, failures } = await operations.balances({ currencies: currencies ?? null })
      return { nodes: [...balances], failures: [...failures] }
    },
    balanceHistory: (_root, args, context) =>
      listByDays(args, context, async (page) => {
        const history = await context.operations.balanceHistory({ ...page, site: args.site ?? null })
        if (history.kind === 'no-account') {
          if (args.site != null) throw badArgument('site', 'must be a site that serves AUD')
          return { nodes: [], totalPages: 0, totalCount: 0 }
        }
        if (history.kind !== 'done') throw failedRead(history)
        const { movements, ...extent } = history.page
        return { nodes: movements, ...extent }
      }),
    bankLookup: async (_root, { qrContent }, { operations }) => {
      const outcome = await operations.lookUpBank(qrContent)
      return outcome.kind === 'done' ? { __typename: 'PaymentBankLookup', ...outcome.account } : failureResult(outcome)
    },
    bankLookupByImage: async (_root, { image }, { operations }) => {
      const outcome = await operations.lookUpBankByImage(image)
      return outcome.kind === 'done' ? { __typename: 'PaymentBankLookup', ...outcome.account } : failureResult(outcome)
    },
  },
  Mutation: {
    simulateDeposit: async (_root, { input }, { operations }) => {
      const outcome = await operations.simulateDeposit(input)
      return outcome.kind === 'done'
        ? { __typename: 'SimulationAccepted', response: outcome.response }
        : failureResult(outcome)
    },
  },
  PaymentAccountBalance: {
    available: (balances) => amountOf(balances, 'available'),
    incoming: (balances) => amountOf(balances, 'incoming'),
    outgoing: (balances) => amountOf(balances, 'outgoing'),
    rollingReserve: (balances) => amountOf(balances, 'rollingReserve'),
    withdrawable: (balances) => amountOf(balances, 'withdrawable'),
  },
  PaymentAccountBalanceFailure: {
    code: ({ failure }) => describeReadFailure(failure).code,
    message: ({ failure }) => describeReadFailure(failure).message,
  },
  PaymentBalanceMovementConnection: countedPage,
  PaymentBalanceMovement: {
    amount: ({ amount, currency }) => ({ value: amount, currency }),
    direction: ({ directionRaw }) => DIRECTIONS.get(directionRaw) ?? 'UNRECOGNISED',
    outgoing: (movement) => movedAmount(movement, 'outgoing'),
    total: (movement) => movedAmount(movement, 'total'),
    fees: (movement) => movedAmount(movement, 'fees'),
  },
} satisfies AreaResolvers

function amountOf(balances: Balances, which: Exclude<keyof Balances, 'currency'>): Money {
  return { value: balances[which], currency: balances.currency }
}

const DIRECTIONS: ReadonlyMap<string | null, PaymentBalanceDirection> = new Map([
  ['money_in', 'MONEY_IN'],
  ['money_out', 'MONEY_OUT'],
])

function movedAmount(movement: Movement, which: 'outgoing' | 'total' | 'fees'): Money | null {
  const value = movement[which]
  return value === null ? null : { value, currency: movement.currency }
}
