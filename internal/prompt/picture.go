package prompt

import (
	"fmt"

	"errand/internal/core"
)

// The reasons why a picture is not shown. The fault follows PictureBroken.
const (
	PictureUnseen  = "this model cannot see pictures"
	PictureLeftOut = "left out, because there are many newer pictures"
	PictureDeleted = "deleted"
	PictureBroken  = "cannot be shown: "
	PictureTooSlow = "took too long to decode"
)

// PictureLabel stands above a picture.
func PictureLabel(n core.Nonce, id core.ArtifactID) string {
	return n.Mark("picture " + string(id) + ":")
}

// Unshown returns a picture that is replaced by a line with the reason. A width or height of 0 is
// unknown.
func Unshown(n core.Nonce, id core.ArtifactID, width, height int, why string) core.Picture {
	size := ""
	if width > 0 && height > 0 {
		size = fmt.Sprintf(", %d×%d", width, height)
	}
	return core.Picture{ID: id, Width: width, Height: height, Instead: n.Mark(fmt.Sprintf("picture%s, artifact %s: %s", size, id, why))}
}
