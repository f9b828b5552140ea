/**
 * Parses an instant of the interface, in UTC: `YYYY-MM-DDThh:mm:ss`, with an optional fraction, followed by nothing, `Z` or
 * `+0000` (gap sheet, section 26). Returns undefined for any other text and for dates that do not exist.
 */
export function parseMoment(text: string): Date | undefined {
  const [, local = ''] = MOMENT.exec(text) ?? []
  const moment = new Date(`${local}Z`)
  const isReal = !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(local.slice(0, DAY_LENGTH))
  return isReal ? moment : undefined
}

const MOMENT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?)(?:Z|\+00:?00)?$/
const DAY_LENGTH = 'YYYY-MM-DD'.length
