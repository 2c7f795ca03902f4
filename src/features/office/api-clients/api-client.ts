import { apiClientRecord } from '~/records/api-client'
import { RecordId } from '~/shared/record'

export const SaveApiClient = apiClientRecord.save
export const ApiClientId = RecordId
