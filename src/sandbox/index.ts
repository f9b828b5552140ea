export { startSandbox } from './start.ts'
export type { Sandbox, SandboxOptions } from './start.ts'
export { DEFAULT_SITES } from './sites.ts'
export type { SandboxSite } from './sites.ts'
export type { SandboxClock } from './clock.ts'
export type { AgreementStatus } from './agreements/agreement.ts'
export type { BankAccount, KnownQr } from './banks/accounts.ts'
export { vietQr } from './banks/vietqr.ts'
export type { QrAccount, QrOptions } from './banks/vietqr.ts'
export type { SandboxAbout } from './control/about.ts'
export type { MagicTable, SandboxControl, Silently } from './control/control.ts'
export { ControlError } from './control/control-error.ts'
export type { ListOptions } from './control/list.ts'
export type { SetStatusOptions } from './control/payment-control.ts'
export type {
  AgreementView,
  DepositView,
  GatewayView,
  HistoryView,
  LinkView,
  PayinView,
  PayoutView,
  SandboxState,
} from './control/views.ts'
export type { MagicFailure } from './failures.ts'
export type { ActiveFault, Fault, FaultAnswer } from './faults.ts'
export type { Mishap, MishapResult } from './mishaps.ts'
export type { MagicPayout } from './payouts/magic-payouts.ts'
export type { PayoutStatus } from './payouts/payout.ts'
export type { PaymentStatus } from './status.ts'
export type { WebhookAttempt, WebhookKind, WebhookRecord } from './webhook-sender.ts'
export type { ApiCall } from './world.ts'
