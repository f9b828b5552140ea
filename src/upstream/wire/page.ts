import { z } from 'zod'
import type { ExactJson } from '../../domain/exact-json.ts'
import { count, isRecord } from './fields.ts'

export type Page = {
  readonly records: readonly ExactJson[]
  readonly page: number | null
  readonly totalPages: number | null
}

const envelope = z.object({ page: count, per_page: count, total: count, total_page: count, total_pages: count })

/**
 * Reads the envelope of a list: `records`, and how far it goes, told in pages or in entries (gap sheet, sections 5.3 and
 * 10). Null when there is no list in it.
 */
export function readPage(json: ExactJson): Page | null {
  if (!isRecord(json) || !Array.isArray(json['records'])) return null
  const { page, per_page: size, total, ...pages } = envelope.parse(json)
  const counted = total === null || size === null || size === 0 ? null : Math.ceil(total / size)
  return { records: json['records'], page, totalPages: pages.total_page ?? pages.total_pages ?? counted }
}
