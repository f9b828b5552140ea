import type { PersonalDetailsResolvers } from '../generated.ts'

export const PersonalDetails: PersonalDetailsResolvers = {
  genderRaw: ({ gender }) => gender,
}
