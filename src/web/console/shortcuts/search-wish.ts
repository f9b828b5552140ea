let wished = false

/** Makes the next view start with the focus on its search field. */
export function wishForSearch(): void {
  wished = true
}

/** Returns the search field of the current view, if it was requested since the last call. */
export function wishedSearch(): HTMLElement | null {
  const wish = wished
  wished = false
  return wish ? searchField() : null
}

/** Returns the search field of the current view, if it has one. */
export function searchField(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[data-search]')
}
