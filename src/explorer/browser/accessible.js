// What packages leave out for whoever cannot see a page: done whenever they draw something.

/** Calls this with what is there already, and again after every change of `root`. */
export function whenDrawn(root, mend) {
  let isDue = false
  const soon = () => {
    if (isDue) return
    isDue = true
    requestAnimationFrame(() => {
      isDue = false
      mend()
    })
  }
  new MutationObserver(soon).observe(root, { childList: true, subtree: true })
  soon()
}
