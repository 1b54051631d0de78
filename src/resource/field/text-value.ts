// A value that arrives as text, in a query string or a path, as JSON would have written it.

import type { SpecBase } from './field.ts'

/** What does not fit stays text, so that the field's own check refuses it. */
export function valueOfText(text: string, spec: SpecBase): unknown {
  if (spec.kind === 'integer') return /^(?:0|-?[1-9]\d*)$/.test(text) ? Number(text) : text
  if (spec.kind === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return text
}
