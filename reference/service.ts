import {
  ApiKey,
  DeprecatedUse,
  type DocumentInfo,
  SecurityEvent,
  Session,
  SignInMethod,
  service,
  Webhook,
  WebhookDelivery,
} from 'duet-api'
import { archive } from './archive.ts'
import { Article } from './article.ts'
import { Comment } from './comment.ts'
import { issuers } from './issuers.ts'
import { Order } from './order.ts'
import { Post } from './post.ts'
import { Product } from './product.ts'
import { User } from './user.ts'

/** The reference service: six resources and Duet's own seven, three roles, two versions, one schedule. (contract 2.6, 9.1) */
export const api = service({
  resources: {
    User,
    Post,
    Comment,
    Article,
    Product,
    Order,
    ApiKey,
    Session,
    SignInMethod,
    SecurityEvent,
    DeprecatedUse,
    Webhook,
    WebhookDelivery,
  },

  accounts: {
    login: 'email',
    password: 'password',
    role: 'role',
    activeState: 'ACTIVE',
    verified: 'emailVerified',
    methods: { passkeys: true, totp: true, issuers },
  },

  roles: {
    VIEWER: {
      comments: ['create', 'edit_own', 'delete_own'],
      orders: ['create', 'pay_own', 'cancel_own'],
      users: ['edit_own', 'follow'],
    },
    EDITOR: {
      includes: 'VIEWER',
      posts: ['create', 'edit_own', 'delete_own', 'publish'],
      articles: ['create', 'edit_own', 'delete_own', 'submit', 'publish', 'reject'],
    },
    ADMIN: 'everything',
  },

  schedules: [archive],

  versions: {
    v1: { deprecated: '2026-11-20', sunset: '2027-11-20' },
    v2: 'current',
  },
})

/** How its documents introduce it. */
export const info: DocumentInfo = { title: 'Reference service', license: { name: 'MIT', identifier: 'MIT' } }
