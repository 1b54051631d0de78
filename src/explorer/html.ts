/** A text as HTML shows it, in an element or between the quotes of an attribute. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
