import { service } from 'duet-api'
import { Notification } from './notification.ts'
import { reactions } from './notify.ts'
import { Post } from './post.ts'
import { Comment, Like } from './reply.ts'
import { Block, User } from './user.ts'

export const api = service({
  resources: { User, Block, Post, Comment, Like, Notification },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: {
    MEMBER: {
      posts: ['create', 'feed'],
      comments: ['create'],
      likes: ['create'],
      blocks: ['create'],
    },
    MODERATOR: { includes: 'MEMBER', posts: ['hide', 'delete'], comments: ['delete'], users: ['manage'] },
  },
  reactions,
})
