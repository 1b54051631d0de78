import { service } from 'duet-api'
import { exported } from './export.ts'
import { Invoice, InvoiceLine } from './invoice.ts'
import { paid } from './payment.ts'
import { Product } from './product.ts'
import { Reservation } from './reservation.ts'
import { User } from './user.ts'

/** What the provider of payments signs its messages with. */
export const secret = process.env['PAYMENT_SECRET']

export const api = service({
  resources: { User, Product, Reservation, Invoice, InvoiceLine },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: {
    CUSTOMER: { reservations: ['create'] },
    KEEPER: {
      products: ['create', 'edit'],
      users: ['read_any'],
      invoices: ['create', 'edit', 'issue', 'credit', 'read_any'],
      invoiceLines: ['create', 'edit'],
    },
  },
  routes: secret === undefined ? [exported] : [exported, paid(secret)],
})
