// What packages leave out for users of screen readers: repeated whenever they draw.

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
