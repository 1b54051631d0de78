export default {
  // Loaded as it is, with the packages that it needs.
  serverExternalPackages: ['duet-api'],
  // Duet compresses its answers itself.
  compress: false,
  poweredByHeader: false,
}
