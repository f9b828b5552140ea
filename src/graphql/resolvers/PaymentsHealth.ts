import type { PaymentsHealthResolvers } from '../generated.ts'

export const PaymentsHealth: PaymentsHealthResolvers = {
  serverTime: (_health, _args, { clock }) => clock(),
  sites: (health) => [...health.sites()],
  reads: (health) => health.reads(),
  deliveries: (health) => health.deliveries(),
  reader: (health) => health.reader(),
  streams: (health) => health.streams(),
}
