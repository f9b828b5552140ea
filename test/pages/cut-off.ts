import type { Page } from 'playwright-core'

/**
 * Returns the texts of a page that cannot be read whole: those outside of the window that no scrolling brings in, those that an element cuts
 * off, and the page itself if it is wider than the window. What an element scrolls by itself, or shortens with an ellipsis, is not one.
 */
export function textsCutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    /** Fractions of a pixel are rounded. */
    const TOLERANCE = 1.5
    const width = document.documentElement.clientWidth
    const shortOf = (text: string) => text.trim().replaceAll(/\s+/g, ' ').slice(0, 60)
    const found: string[] = []
    if (document.documentElement.scrollWidth > width + TOLERANCE)
      found.push(`the page is ${document.documentElement.scrollWidth} wide`)
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const { currentNode } = texts
      const parent = currentNode.parentElement
      if (parent === null || currentNode.textContent?.trim() === '' || !parent.checkVisibility()) continue
      const range = document.createRange()
      range.selectNodeContents(currentNode)
      const { left, right, width: own } = range.getBoundingClientRect()
      if (own === 0) continue
      let from = 0
      let to = width
      let scrolls = false
      for (
        let box: Element | null = parent;
        box !== document.documentElement && box !== null && !scrolls;
        box = box.parentElement
      ) {
        const { overflowX, textOverflow, clipPath, position } = getComputedStyle(box)
        // Read by screen readers alone.
        if (clipPath !== 'none' || (position === 'absolute' && box.clientWidth <= 1)) scrolls = true
        if (overflowX === 'auto' || overflowX === 'scroll' || textOverflow === 'ellipsis') scrolls = true
        if (overflowX !== 'hidden' && overflowX !== 'clip') continue
        const cut = box.getBoundingClientRect()
        from = Math.max(from, cut.left)
        to = Math.min(to, cut.right)
      }
      if (!scrolls && (left < from - TOLERANCE || right > to + TOLERANCE))
        found.push(shortOf(currentNode.textContent ?? ''))
    }
    return found
  })
}
