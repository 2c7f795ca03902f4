import { Text } from '@mantine/core'

type Props = {
  organization: string
  clinic?: string | null
  address?: string | null
  phone?: string | null
}

/** Who gives out what is printed: the organization, the clinic, where it is and how to reach it. */
export function Letterhead({ organization, clinic, address, phone }: Props) {
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
      {address && (
        <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
          <bdi>{address}</bdi>
        </Text>
      )}
      {phone && (
        <Text size="sm">
          <bdi dir="ltr">{phone}</bdi>
        </Text>
      )}
    </div>
  )
}
