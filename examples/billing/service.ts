import { service } from 'duet-api'
import { Credit, Customer } from './customer.ts'
import { Invoice, InvoiceLine } from './invoice.ts'
import { Payment } from './payment.ts'
import { Plan } from './plan.ts'
import { Subscription } from './subscription.ts'
import { Usage, UsageImport } from './usage.ts'
import { User } from './user.ts'

export const api = service({
  resources: { User, Customer, Credit, Plan, Subscription, UsageImport, Usage, Invoice, InvoiceLine, Payment },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { CUSTOMER: {}, CLERK: 'everything' },
})
