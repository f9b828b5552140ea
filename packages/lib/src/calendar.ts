/** Returns whether a text is a day of the calendar, `2026-12-31`. `Date` alone reads the 30th of February as a day in March. */
export function isDay(text: string): boolean {
  const midnight = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : null
  return midnight !== null && !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text)
}
