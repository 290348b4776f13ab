/** What is read each time that somebody asks for the metrics. */
export interface ReadWhenAsked {
  /** Endpoints that are enabled. */
  endpoints(): number;
  /** False while the disk is full. */
  hasRoom(): boolean;
  /** Number of places on the disk that are known to be damaged. */
  damagedPlaces(): number;
}
