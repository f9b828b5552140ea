import { Moment } from '../pieces/moment.tsx'

type List = { readonly fetchedAt: string; readonly stale: boolean; readonly unavailable: readonly string[] }

/** The age of a list of methods, and what is missing from it. */
export function Freshness({ of: { fetchedAt, stale, unavailable } }: { readonly of: List }) {
  return (
    <>
      <p>
        Read from the payments API <Moment at={fetchedAt} />.{' '}
        {stale && <strong class="warn">It is out of date: the payments API has not answered since.</strong>}
      </p>
      {unavailable.length > 0 && (
        <p class="notice bad">Not available, since the payments API did not answer: {unavailable.join(', ')}.</p>
      )}
    </>
  )
}
