import { ApiKey, Session, service, Webhook, WebhookDelivery } from 'duet-api'
import { Invitation, Membership, Organization } from './organization.ts'
import { Message, Tag, Ticket } from './ticket.ts'
import { User } from './user.ts'

export const api = service({
  resources: {
    User,
    Organization,
    Membership,
    Invitation,
    Ticket,
    Message,
    Tag,
    ApiKey,
    Session,
    Webhook,
    WebhookDelivery,
  },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: {
    USER: { organizations: ['create'] },
    // Reads all tickets, and changes none.
    SUPPORT: { acrossTenants: ['Organization'], tickets: ['read_any'] },
    // Everything that is in no organization.
    ADMIN: 'everything',
  },
  tenantRoles: {
    Organization: {
      OWNER: 'everything',
      AGENT: {
        tickets: ['read_any', 'edit', 'assign', 'create', 'delete'],
        messages: ['create', 'manage'],
        tags: ['create', 'edit'],
      },
      CUSTOMER: { tickets: ['create'] },
    },
  },
})
