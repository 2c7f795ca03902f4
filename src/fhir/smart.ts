import { FHIR_TYPES } from '~/shared/fhir-scopes'

/** The token endpoint of SMART Backend Services, below the address of the server. */
export const TOKEN_PATH = '/api/auth/token'

/** How programs sign in (http://hl7.org/fhir/smart-app-launch/conformance.html): SMART Backend Services. */
export const smartConfiguration = (origin: string) => ({
  token_endpoint: origin + TOKEN_PATH,
  token_endpoint_auth_methods_supported: ['private_key_jwt'],
  token_endpoint_auth_signing_alg_values_supported: ['RS384', 'ES384'],
  grant_types_supported: ['client_credentials'],
  scopes_supported: ['*', ...FHIR_TYPES].map((type) => `system/${type}.cruds`),
  capabilities: ['client-confidential-asymmetric', 'permission-v1', 'permission-v2'],
})
