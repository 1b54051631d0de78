// Every sentence of mails and pages of signing in. A service replaces some, or adds languages, with `accounts.texts`. (contract 5.17.2)

/** What stands in braces is filled in. */
export const englishTexts = {
  reset_subject: 'Your new password',
  reset_opens:
    'A new password was requested for this account, probably by you.\nOpen this address to choose a new one:',
  reset_sends:
    'A new password was requested for this account, probably by you.\nSend this token with your new password to {address}:',
  reset_end: 'It works once, and for {minutes} minutes. If it was not you, there is nothing to do.',
  ways_subject: 'How you sign in',
  ways: 'A new password was requested for this account, probably by you. It has none.\nSign in by: {ways}.',
  no_ways:
    'A new password was requested for this account, probably by you. It has none.\nThere is no way to sign in to it: contact the service.',
  way_link: 'a link that is mailed to you',
  way_passkey: 'the passkey "{name}"',
  way_issuer: 'your account at {name}',
  verify_subject: 'Confirm your address',
  verify_opens: 'Confirm that this address is yours: open this address.',
  verify_sends: 'Confirm that this address is yours: send this token to {address}.',
  verify_end: 'It works once, for 24 hours. If you did not request it, ignore this mail.',
  change_subject: 'Confirm your new address',
  change_opens: 'Confirm that your account gets this address: open this address.',
  change_sends: 'Confirm that your account gets this address: send this token to {address}.',
  change_end: 'It works once, for one hour. If you did not request it, ignore this mail.',
  magic_subject: 'Sign in',
  magic_opens: 'Sign in: open this address.',
  magic_sends: 'Sign in: send this token to {address}.',
  magic_end: 'It works once, for ten minutes. If you did not request it, ignore this mail.',
  password_changed_subject: 'Your password was changed',
  password_changed: 'The password of your account was changed, and its other sessions ended.',
  address_changed_subject: 'Your address was changed',
  address_changed: 'Your account has another address now, and this one is no longer used.',
  method_added_subject: 'A sign-in method was added',
  method_added: 'Your account got {method}.',
  method_removed_subject: 'A sign-in method was removed',
  method_removed: 'Your account lost {method}, and its other sessions ended.',
  recovery_code_used_subject: 'A recovery code was used',
  recovery_code_used: 'One of the recovery codes of your account was used to sign in, and is used up now.',
  second_factor_blocked_subject: 'Wrong codes for your account',
  second_factor_blocked:
    'Within an hour ten wrong codes were sent for your account, after its first factor was proved. ' +
    'Until it is over, no code of an authenticator app is accepted.',
  not_you: 'If it was not you, contact the service.',
  method_totp: 'an authenticator app',
  method_passkey: 'a passkey',
  method_issuer: 'an account at an issuer',
  method_recovery_codes: 'new recovery codes',

  sign_in: 'Sign in',
  email: 'E-mail',
  password: 'Password',
  new_password: 'New password',
  forgot_password: 'Forgot your password?',
  mail_link: 'Mail me a link',
  with_passkey: 'Sign in with a passkey',
  with_issuer: 'Sign in with {name}',
  second_factor: 'Confirm that it is you',
  code: 'Code of your authenticator app, or a recovery code',
  recovery_code: 'Recovery code',
  continue: 'Continue',
  mail_sent: 'Look into your mails',
  link_sent: 'If there is an account with this address, a link is on its way. Open it in this browser.',
  reset_sent: 'If there is an account with this address, a mail is on its way.',
  open_here: 'Open the link in the browser in which you requested it.',
  choose_password: 'Choose a new password',
  password_chosen: 'Your password is changed. You can sign in with it now.',
  confirm_address: 'Confirm your address',
  confirm_with_password: 'Enter the password of your account to confirm that its address is yours.',
  address_confirmed: 'Your address is confirmed.',
  cannot_go_on: 'This sign-in cannot go on',
  start_again: 'It has ended, or was begun in another browser. Start again in the application.',
  wrong_credentials: 'This is not right. Try again.',
  not_verified: 'Confirm your address first: open the link that was mailed to you.',
  too_many_tries: 'There were too many attempts. Wait a minute, and try again.',
  ended: 'This link has been used, or is too old. Request another one.',
  taken: 'Another account has this address.',
} as const

/** Sentences of mails and pages, by their keys. */
export type SignInTexts = { readonly [Key in keyof English]: string }
export type TextKey = keyof SignInTexts
type English = typeof englishTexts

/** What a sentence has in braces. */
type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type NamesOf<Key> = Key extends TextKey ? Names<English[Key]> : never

/** What fills in a sentence. */
export type TextValues<Key extends TextKey> = [NamesOf<Key>] extends [never]
  ? readonly []
  : readonly [values: Readonly<Record<NamesOf<Key>, string | number>>]
/** Sentences without braces. */
export type PlainKey = { [Key in TextKey]: [NamesOf<Key>] extends [never] ? Key : never }[TextKey]

/** Sentences by language, whose keys English has, and whose braces it fills in. */
export type SoundTexts<All> = {
  readonly [Language in keyof All]: {
    readonly [Key in keyof All[Language]]: Key extends TextKey
      ? [Names<All[Language][Key]>] extends [NamesOf<Key>]
        ? string
        : 'Nothing fills in these braces.'
      : 'There is no such text.'
  }
}
