import { service } from 'duet-api'
import { Invoice, InvoiceLine } from './invoice.ts'
import { Product } from './product.ts'
import { Reservation } from './reservation.ts'
import { User } from './user.ts'

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
})
