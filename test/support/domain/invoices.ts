// Invoices with products and labels: what tests of lists in inputs are given, send and expect.

import type { Row, Step } from '../rows/clauses.ts'

export const given = {
  pen: { Product: { sku: 'pen {word}' } },
  ink: { Product: { sku: 'ink {word}' } },
  old: { Product: { sku: 'old {word}', isSold: false } },
  secret: { Product: { sku: 'secret {word}', isSecret: true } },
  red: { Label: { name: 'red', owner: '{viewer}' } },
  blue: { Label: { name: 'blue', owner: '{viewer}' } },
  hidden: { Label: { name: 'hidden', isHidden: true, owner: '{other viewer}' } },
}
export const restOnly = { also: undefined } as unknown as Partial<Row>
export const pen = { product_id: '{pen}', quantity: 2 }
export const ink = { product_id: '{ink}', quantity: 3 }
export const invalid = (...fields: string[]): Step['answer'] => ({ status: 400, code: 'VALIDATION_ERROR', fields })
export const refused = (...fields: string[]): Step['answer'] => ({
  status: 422,
  code: 'BUSINESS_RULE_VIOLATION',
  fields,
})
export const invoice = { Invoice: { title: 'I', owner: '{viewer}', number: 1, openedAt: null } }
export const line = (position: number, product: string) => ({
  invoice: '{made}',
  position,
  product: `{${product}}`,
  quantity: position,
})
/** An invoice with three lines, whose owner replaces them. */
export const lines = {
  ...given,
  'old pen': { Product: { sku: 'old pen {word}' } },
  made: invoice,
  first: { Line: line(1, 'pen') },
  second: { Line: line(2, 'ink') },
  third: { Line: line(3, 'old') },
}

/** So many notes with so many words each. */
export function notes(count: number, words: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    text: `${index}`,
    words: Array.from({ length: words }, (_, word) => ({ text: `${word}` })),
  }))
}
