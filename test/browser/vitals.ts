/**
 * A script for pages, which keeps two figures as `vitals`: `paintMs`, when the largest part was painted, and `shift`, the Cumulative Layout Shift:
 * the largest sum within five seconds without a pause of one (https://web.dev/articles/cls).
 */
export const MEASURE_VITALS = `
  const vitals = (window.vitals = { paintMs: 0, shift: 0 })
  let [first, last, sum] = [-Infinity, -Infinity, 0]
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) vitals.paintMs = startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => {
    for (const { startTime, value, hadRecentInput } of list.getEntries()) {
      if (hadRecentInput) continue
      if (startTime - last > 1000 || startTime - first > 5000) [first, sum] = [startTime, 0]
      ;[last, sum] = [startTime, sum + value]
      vitals.shift = Math.max(vitals.shift, sum)
    }
  }).observe({ type: 'layout-shift', buffered: true })
`
