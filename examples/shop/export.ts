import { may, route } from 'duet-api'
import { Invoice } from './invoice.ts'

/** All invoices that have a number, for the books; as many as there are take as much memory as a hundred. */
export const exported = route('GET', '/api/v1/reports/invoices.csv', {
  summary: 'Export invoices',
  access: may('invoices:read_any'),
  answer: 'text/csv',
  async *handle({ records }) {
    yield 'number,issued_on,total\n'
    for await (const { number, issuedOn, total } of records.each(Invoice, { sort: ['number'] }))
      if (number !== null) yield `${number},${issuedOn},${total}\n`
  },
})
