export default {
  // Loaded as it is, with the packages that it needs.
  serverExternalPackages: ['duet-api'],
  poweredByHeader: false,
}
