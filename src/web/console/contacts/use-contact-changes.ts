import { useEffect, useRef } from 'preact/hooks'
import { watchPaymentContact } from '../../../client/index.ts'
import { endpointOf, useSession } from '../session/session.ts'

/** A contact whose identity is being checked. */
export type PendingContact = { readonly email: string; readonly site: string }

/** Streams at once: the list of a page has 20 contacts, of which few are pending. */
const MOST = 10

/** Follows the identity checks of contacts, and calls `onChange` when one is decided. Without a stream the list is read each minute anyway. */
export function useContactChanges(pending: readonly PendingContact[], onChange: () => void): void {
  const session = useSession()
  const changed = useRef(onChange)
  changed.current = onChange
  const key = JSON.stringify(pending.slice(0, MOST).map(({ email, site }) => ({ email, site })))
  useEffect(() => {
    const control = new AbortController()
    const follow = async (contact: PendingContact) => {
      for await (const { identityStatus } of watchPaymentContact(contact, {
        ...endpointOf(session),
        signal: control.signal,
      }))
        if (identityStatus !== 'PENDING') return changed.current()
    }
    for (const contact of JSON.parse(key) as PendingContact[]) follow(contact).catch(() => {})
    return () => control.abort()
  }, [session, key])
}
