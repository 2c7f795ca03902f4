import { boolean, longText, reference, text } from '~/fields/field'
import { record } from './record'

export const apiClientRecord = record('api_clients', {
  name: { field: text('apiClients.name', { max: 100, hint: 'apiClients.nameHint' }) },
  user_id: { field: reference('apiClients.user_id', { hint: 'apiClients.userHint' }) },
  scopes: { field: longText('apiClients.scopes', { max: 4000, hint: 'apiClients.scopesHint' }) },
  jwks: { field: longText('apiClients.jwks', { max: 20_000, hint: 'apiClients.jwksHint' }) },
  is_active: { field: boolean('apiClients.is_active', { hint: 'apiClients.activeHint' }) },
})
