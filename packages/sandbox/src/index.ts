export { startSandbox } from './start.ts'
export { runScenario, type ScenarioOptions } from './scenarios/scenario.ts'
export { ScenarioError, trigger, type TriggerOptions } from './scenarios/trigger.ts'
export type { Sandbox, SandboxOptions } from './start.ts'
export {
  DEFAULT_SITES,
  type SandboxSite,
  type ActiveFault,
  type Fault,
  type FaultAnswer,
  type ApiCall,
} from './state/sandbox-store.ts'
export type { SandboxClock } from './state/clock.ts'
export type { AgreementStatus } from './state/agreement.ts'
export { type BankAccount, type KnownQr, vietQr, type QrAccount, type QrOptions } from './accounts/bank-accounts.ts'
export type { SandboxAbout } from './control/control.ts'
export type { MagicTable, SandboxControl, Silently } from './control/control.ts'
export { ControlError } from './control/control.ts'
export type {
  ListOptions,
  AgreementView,
  ContactView,
  DepositView,
  GatewayView,
  HistoryView,
  LinkView,
  PayinView,
  PayoutView,
  SandboxState,
} from './control/control-views.ts'
export type { SetStatusOptions } from './control/control.ts'
export type { MagicFailure, PaymentStatus } from './state/link.ts'
export type { WebhookFault as Mishap, WebhookFaultResult as MishapResult } from './webhooks/webhook-faults.ts'
export type { MagicPayout } from './payouts/payout-steps.ts'
export type { PayoutStatus } from './state/payout.ts'
export { sign } from './webhooks/sign.ts'
export type { WebhookAttempt, WebhookKind, WebhookRecord } from './state/webhook-sender.ts'
