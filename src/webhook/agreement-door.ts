import { readAgreementReport } from '../upstream/wire/agreement.ts'
import { withoutSecretsOfAgreement } from '../upstream/wire/redact.ts'
import { createDoor, type Door, type DoorOptions } from './door.ts'

export type AgreementDoorOptions = DoorOptions & {
  /** Called when a callback left an agreement in doubt. */
  readonly onReadDue: () => void
}

/**
 * The door for agreement callbacks. The service promises no signature for them, so the secret of each agreement's own
 * address is always asked for; a signature that is there must be right (interface document, section 4.1).
 */
export function createAgreementDoor(options: AgreementDoorOptions): Door {
  return createDoor(options, {
    callback: 'agreement',
    refKinds: ['agreement'],
    signature: 'checked-when-present',
    store: async ({ json, ref, ...delivery }) => {
      const report = json === null ? null : readAgreementReport(json)
      const body = json === null ? null : JSON.stringify(withoutSecretsOfAgreement(json))
      const outcome = await options.inbox.receiveAgreement({ ...delivery, ref: ref ?? '', body, report })
      options.logger.info(
        {
          disposition: outcome.disposition,
          kind: outcome.repeat ? 'repeat' : 'new',
          agreementId: report?.id,
          status: report?.status,
        },
        'callback stored',
      )
      if (outcome.readDue) options.onReadDue()
      return { usable: report !== null, outcome }
    },
  })
}
