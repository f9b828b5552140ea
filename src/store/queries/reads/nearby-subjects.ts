import type { ReadSubject } from '../../read-store.ts'
import { fromIso } from '../../rows/instants.ts'
import type { Db } from '../../unit.ts'
import { findLinkSubject, type ReadSubjectRow, subjectsOfPayments } from './read-subjects.ts'

/**
 * Returns the subjects of at most `limit` links (or payins) of the same site, from the subject's own on by creation, which the payments API
 * lists together. In any order. Empty if neither a link nor a payin is recorded for the subject.
 */
export async function nearbySubjects(db: Db, { link, payin }: ReadSubject, limit: number): Promise<ReadSubjectRow[]> {
  if (link !== null) return nearbyLinks(db, { site: link.site, from: fromIso(link.createdAt), limit })
  return payin === null ? [] : nearbyPayins(db, { site: payin.site, from: fromIso(payin.createdAt), limit })
}

type Span = { readonly site: string; readonly from: number; readonly limit: number }

async function nearbyLinks(db: Db, { site, from, limit }: Span): Promise<ReadSubjectRow[]> {
  const links = await db
    .selectFrom('links')
    .select(['id', 'payment_id'])
    .where('site', '=', site)
    .where('created_at', '>=', from)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  const paid = await subjectsOfPayments(
    db,
    links.flatMap(({ payment_id: id }) => id ?? []),
  )
  const unused = await Promise.all(
    links.filter(({ payment_id: id }) => id === null).map(({ id }) => findLinkSubject(db, id)),
  )
  return [...paid, ...unused.filter((subject) => subject !== null)]
}

async function nearbyPayins(db: Db, { site, from, limit }: Span): Promise<ReadSubjectRow[]> {
  const payins = await db
    .selectFrom('payins')
    .select('payment_id')
    .where('site', '=', site)
    .where('created_at', '>=', from)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return subjectsOfPayments(
    db,
    payins.map(({ payment_id: id }) => id),
  )
}
