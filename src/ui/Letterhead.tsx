import { Text } from '@mantine/core'

type Props = {
  organization: string
  clinic?: string | null
  /** `clinicContactValues` the clinic. */
  contact?: readonly string[]
}

/** Who issues what is printed: the organization, the clinic and how to reach it. */
export function Letterhead({ organization, clinic, contact = [] }: Props) {
  return (
    <div>
      {organization && (
        <Text fw={600}>
          <bdi>{organization}</bdi>
        </Text>
      )}
      {clinic && (
        <Text size="sm">
          <bdi>{clinic}</bdi>
        </Text>
      )}
      {contact.map((value) => (
        <Text key={value} size="sm" style={{ whiteSpace: 'pre-line' }}>
          <bdi>{value}</bdi>
        </Text>
      ))}
    </div>
  )
}
