import type { Fhir, Resource } from './resource'
import { TOKEN_PATH } from './smart'

/** What the server can do, made from the resource files (http://hl7.org/fhir/R4/capabilitystatement.html). */
export function capabilityStatement(resources: readonly Resource[], base: string): Fhir {
  return {
    resourceType: 'CapabilityStatement',
    status: 'active',
    date: RELEASED,
    kind: 'instance',
    software: { name: 'Sanad' },
    implementation: { description: 'Sanad, an electronic health record', url: base },
    fhirVersion: '4.0.1',
    format: ['application/fhir+json', 'json'],
    rest: [
      {
        mode: 'server',
        security: {
          extension: [
            {
              url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
              extension: [{ url: 'token', valueUri: new URL(TOKEN_PATH, base).href }],
            },
          ],
          service: [
            {
              coding: [
                {
                  system: 'http://terminology.hl7.org/CodeSystem/restful-security-service',
                  code: 'SMART-on-FHIR',
                },
              ],
              text: 'SMART Backend Services: private_key_jwt, client_credentials',
            },
          ],
          description: 'Or a session of Sanad: Authorization: Bearer, or the cookie of a browser.',
        },
        resource: resources.map((each) => ofResource(each, resources)),
        interaction: [{ code: 'batch' }],
        operation: [{ name: 'export', definition: `${BULK}/OperationDefinition/export` }],
      },
    ],
  }
}
/** The day on which the list of what the server can do last changed. */
const RELEASED = '2026-11-23'

function ofResource(resource: Resource, all: readonly Resource[]) {
  const { type, search, writes } = resource
  const interactions = [
    'read',
    'search-type',
    ...(['create', 'update', 'delete'] as const).filter((write) => writes?.[write]),
  ]
  const includes = referenceNames(resource).map((name) => `${type}:${name}`)
  const reverse = all.flatMap((each) =>
    referenceNames(each, type).map((name) => `${each.type}:${name}`),
  )
  return {
    type,
    interaction: interactions.map((code) => ({ code })),
    versioning: 'versioned',
    readHistory: false,
    updateCreate: writes?.update !== undefined && writes.create !== undefined,
    conditionalCreate: writes?.create !== undefined,
    conditionalRead: 'not-match',
    conditionalUpdate: false,
    conditionalDelete: 'not-supported',
    referencePolicy: ['literal'],
    ...(includes.length > 0 && { searchInclude: includes }),
    ...(reverse.length > 0 && { searchRevInclude: reverse }),
    ...(OPERATIONS[type] && { operation: OPERATIONS[type] }),
    searchParam: [
      { name: '_id', type: 'token' },
      { name: '_lastUpdated', type: 'date' },
      ...Object.entries(search)
        .filter(([name]) => !name.startsWith('_'))
        .map(([name, { kind }]) => ({ name, type: kind })),
    ],
  }
}

/** Bulk Data Access 2. */
const BULK = 'http://hl7.org/fhir/uv/bulkdata'
/** Of a type, and on one patient. */
const OPERATIONS: Readonly<Record<string, { name: string; definition: string }[]>> = {
  Patient: [
    { name: 'export', definition: `${BULK}/OperationDefinition/patient-export` },
    {
      name: 'everything',
      definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything',
    },
    { name: 'summary', definition: 'http://hl7.org/fhir/uv/ips/OperationDefinition/summary' },
  ],
  Group: [{ name: 'export', definition: `${BULK}/OperationDefinition/group-export` }],
}

/** The names of the references of a type: all, or those to `target`. */
const referenceNames = ({ search }: Resource, target?: string) =>
  Object.entries(search)
    .filter(([, { reference }]) => reference && (!target || reference.targets.includes(target)))
    .map(([name]) => name)
